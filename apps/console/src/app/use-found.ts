import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { hostOf } from '../components/describe-webhook';
import { pathOf, targetOf } from '../components/id-targets';
import { useOpenPath } from '../components/tenant-link';
import { useSession } from '../data/access';
import { call } from '../data/api';
import { connectorsQuery } from '../data/connectors';
import { readPeople } from '../data/people';
import { attributeOf, machineOf, nameOf } from '../data/person';
import { webhooksQuery } from '../data/webhooks';
import { isShown, navigation } from './navigation';
import { matchesName, type Option, screensOf } from './palette-options';

const fewest = 2;
const mostPeople = 8;
/** Of each other kind, so that all kinds are visible at once. */
const most = 4;
const cachedMs = 60_000;

/** Everything that a text finds: by its id, by name, or by the name of a screen. */
export function useFound(tenantId: string, text: string): { options: Option[]; isSearching: boolean } {
  const navigate = useNavigate();
  const openPath = useOpenPath();
  const { actor } = useSession();
  const target = targetOf(text);
  const isSearch = text.length >= fewest && !target;
  const people = useQuery({
    queryKey: ['palette', tenantId, text],
    queryFn: () => readPeople(tenantId, { q: text, limit: mostPeople }),
    enabled: isSearch,
    staleTime: cachedMs,
    placeholderData: (old) => old,
  });
  const machines = useQuery({
    queryKey: ['palette-machines', tenantId, text],
    queryFn: () => call('GET /machine-identities', { tenantId }, { q: text, limit: most }),
    enabled: isSearch,
    staleTime: cachedMs,
    placeholderData: (old) => old,
  });
  const sources = useQuery({ ...connectorsQuery(tenantId), enabled: isSearch });
  const webhooks = useQuery({
    ...webhooksQuery(tenantId),
    enabled: isSearch,
    staleTime: cachedMs,
    refetchInterval: false,
  });
  // The person of a record is the screen that shows it.
  const record = useQuery({
    queryKey: ['record', tenantId, text],
    queryFn: () => call('GET /records/{recordId}', { tenantId, recordId: text }),
    enabled: target?.isRecord === true,
  });
  const path = target && pathOf(target, text, record.data);
  const atPath = (path: string) => () => openPath(path);
  const screens = screensOf(
    navigation.flatMap(({ items }) => items).filter((item) => isShown(item, actor)),
    text,
  );
  const screenOptions = (shown: typeof screens.first): Option[] =>
    shown.map(({ label, to, icon }) => ({
      key: to,
      label,
      about: text === '' ? undefined : 'Screen',
      icon,
      open: () => navigate({ to, params: { tenantId } }),
    }));
  const found: Option[] = !isSearch
    ? []
    : [
        ...(people.data?.data ?? [])
          .filter((identity) => !machineOf(identity))
          .map((identity) => ({
            key: identity.id,
            label: nameOf(identity),
            about: [attributeOf(identity, 'email'), attributeOf(identity, 'job_title')].filter(Boolean).join(' · '),
            status: identity.status,
            icon: 'person' as const,
            open: atPath(`/people/${identity.id}`),
          })),
        ...(machines.data?.data ?? []).map(({ id, display_name, status }) => ({
          key: id,
          label: display_name,
          about: 'Machine',
          status,
          icon: 'machine' as const,
          open: atPath(`/machines/${id}`),
        })),
        ...(sources.data?.data ?? [])
          .filter(({ name }) => matchesName(name, text))
          .slice(0, most)
          .map(({ id, name, health }) => ({
            key: id,
            label: name,
            about: 'Source',
            status: health,
            icon: 'source' as const,
            open: atPath(`/sources/${id}`),
          })),
        ...(webhooks.data?.data ?? [])
          .filter(({ callback_url }) => matchesName(callback_url, text))
          .slice(0, most)
          .map(({ id, callback_url }) => ({
            key: id,
            label: hostOf(callback_url),
            about: 'Webhook',
            icon: 'webhook' as const,
            open: atPath(`/webhooks/${id}`),
          })),
      ];
  const options: Option[] = [
    ...(target && path !== undefined
      ? [{ key: text, label: target.label, about: text, icon: target.icon, open: atPath(path) }]
      : []),
    ...screenOptions(screens.first),
    ...found,
    ...screenOptions(screens.last),
  ];
  const isFetching = [people, machines, sources, webhooks].some((query) => query.isFetching);
  return { options, isSearching: (isSearch && isFetching && found.length === 0) || record.isFetching };
}
