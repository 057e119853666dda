import type { RouteDefinition } from './route.js';

interface Topic {
  name: string;
  description: string;
  /** First words of the paths, after `/v1/` or the tenant of an operator route. */
  words: readonly string[];
}

const publicTopics: readonly Topic[] = [
  { name: 'Identities', description: 'People, with everything that is known about each.', words: ['identities'] },
  { name: 'Users', description: 'The records of people, one for each person and source.', words: ['users'] },
  { name: 'Accounts', description: 'Accounts of people in the sources, also of nobody known.', words: ['accounts'] },
  { name: 'Machine identities', description: 'Service accounts, with owners and risk.', words: ['machine-identities'] },
  { name: 'Groups', description: 'Groups of people in the sources.', words: ['groups'] },
  { name: 'Connectors', description: 'The sources, with their health.', words: ['connectors'] },
  { name: 'Sync', description: 'Start a sync and follow it.', words: ['sync'] },
  { name: 'Webhooks', description: 'Subscriptions to events.', words: ['webhooks', 'portal-links'] },
  { name: 'Events', description: 'All events in order, to read instead of receiving them.', words: ['events'] },
  { name: 'Health', description: 'Is the gateway up?', words: ['health'] },
];

const operatorTopics: readonly Topic[] = [
  {
    name: 'Operator: tenants',
    description: 'Tenants, their settings, limits, API keys, export and deletion.',
    words: ['tenants', 'settings', 'quotas', 'api-keys', 'export', 'deletion'],
  },
  {
    name: 'Operator: sources',
    description: 'Connectors, their tokens, tests and errors, and what deleted ones have left.',
    words: ['connectors', 'deleted-connectors'],
  },
  { name: 'Operator: sync jobs', description: 'Runs, their plans and decisions about them.', words: ['sync-jobs'] },
  {
    name: 'Operator: people',
    description: 'Identities, explained, merged, split and erased; accounts and machine identities.',
    words: ['identities', 'users', 'groups', 'accounts', 'machine-identities', 'records', 'suppressions'],
  },
  {
    name: 'Operator: review',
    description: 'Cases and findings for a person to decide.',
    words: ['cases', 'findings', 'finding-policy'],
  },
  {
    name: 'Operator: rules',
    description: 'Matching, precedence of sources, dates and leavers.',
    words: ['matching-rules', 'attribute-priorities', 'lifecycle-policy'],
  },
  {
    name: 'Operator: audit',
    description:
      'Who did what, with the proof that nothing was removed; approvals; tokens and sessions of operators, and their settings.',
    words: ['audit', 'approvals', 'operator-policy', 'service-tokens', 'session', 'sessions'],
  },
  { name: 'Operator: operations', description: 'Changes by operators, and their reversal.', words: ['operations'] },
  {
    name: 'Operator: webhooks',
    description: 'Events, subscriptions with their health, deliveries, and sending again.',
    words: ['webhooks', 'deliveries', 'replays', 'events', 'activity', 'portal-links'],
  },
  {
    name: 'Operator: system',
    description: 'Versions, processes and queues of the installation, and messages that were dead-lettered.',
    words: ['system'],
  },
];

const received: Omit<Topic, 'words'> = {
  name: 'Received events',
  description: 'Requests to subscribers, which must ignore unknown fields and event types.',
};

/** Tags of the OpenAPI document in the order of the reference. */
export const topics = [...publicTopics, ...operatorTopics, received].map(({ name, description }) => ({
  name,
  description,
}));

/** Sections of the reference, as viewers read them. */
export const topicGroups = [
  { name: 'Public API', tags: publicTopics.map(({ name }) => name) },
  { name: 'Operator interface', tags: operatorTopics.map(({ name }) => name) },
  { name: 'Webhook requests', tags: [received.name] },
];

export const receivedEvents = received.name;

/** Returns the tag of a route. Throws if no topic has the first word of its path. */
export function topicOf({ path }: Pick<RouteDefinition, 'path'>): string {
  const word = path.replace(/^\/v1\/|^\/admin\/v1\/(tenants\/\{tenantId\}\/)?/, '').split('/')[0] ?? '';
  const topic = (path.startsWith('/v1/') ? publicTopics : operatorTopics).find(({ words }) => words.includes(word));
  if (!topic) throw new Error(`no topic of the API reference has the routes of ${path}`);
  return topic.name;
}
