import type { machineClassifications } from '@idsync/contracts';
import { isObject, scalarText, valueAt } from '../json/json-value.js';

type Classification = (typeof machineClassifications)[number];

/** A principal that a role trusts: `Service`, `Federated` or `AWS`, and its name. */
export interface Principal {
  kind: string;
  name: string;
}

const pipelines =
  /^(codebuild|codepipeline|codedeploy|imagebuilder)\.|(token\.actions\.githubusercontent\.com|gitlab|app\.terraform\.io|oidc\.circleci\.com|api\.bitbucket\.org|agent\.buildkite\.com|vstoken\.dev\.azure\.com)/;
const agents = /^(bedrock|bedrock-agentcore|qbusiness|q\.apps)\./;

/** Returns the principals that may assume a role, in the order of its trust policy. */
export function principalsOf(policy: unknown): Principal[] {
  const found = new Map<string, Principal>();
  for (const statement of asList(valueAt(policy, 'Statement'))) {
    if (valueAt(statement, 'Effect') !== 'Allow') continue;
    const principal = valueAt(statement, 'Principal');
    const named = isObject(principal) ? Object.entries(principal) : [['AWS', principal] as const];
    for (const [kind, names] of named) {
      for (const name of asList(names).flatMap((one) => scalarText(one) ?? []))
        found.set(`${kind}:${name}`, { kind, name });
    }
  }
  return [...found.values()];
}

/** Classifies a role by its principals and returns the most specific class. SAML users do not count. */
export function classifyPrincipals(principals: readonly Principal[]): Classification {
  const all = new Set(principals.map(classify));
  const order: Classification[] = ['ci_cd', 'ai_agent', 'workload', 'service_account'];
  return order.find((one) => all.has(one)) ?? 'unknown';
}

function classify({ kind, name }: Principal): Classification {
  if (kind === 'Service') {
    if (pipelines.test(name)) return 'ci_cd';
    return agents.test(name) ? 'ai_agent' : 'workload';
  }
  if (kind === 'Federated') {
    if (!name.includes(':oidc-provider/')) return 'unknown';
    return pipelines.test(name) ? 'ci_cd' : 'workload';
  }
  return kind === 'AWS' ? 'service_account' : 'unknown';
}

function asList(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
