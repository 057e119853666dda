import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IStatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { Manifest } from './render.js';

export type Workload = IDeployment | IStatefulSet | IJob;

export function ofKind<Kind>(manifests: readonly Manifest[], kind: string): Kind[] {
  return manifests.filter((manifest) => manifest.kind === kind) as Kind[];
}

export function workloadsOf(manifests: readonly Manifest[]): Workload[] {
  return ['Deployment', 'Job', 'StatefulSet'].flatMap((kind) => ofKind<Workload>(manifests, kind));
}

/** Returns the Deployment, Job or StatefulSet with this name. */
export function workloadOf(manifests: readonly Manifest[], name: string): Workload {
  const found = workloadsOf(manifests).find((workload) => nameOf(workload) === name);
  if (!found) throw new Error(`no workload is named ${name}`);
  return found;
}

export function nameOf({ metadata }: { metadata?: { name?: string } }): string {
  return metadata?.name ?? '';
}

export function podOf(workload: Workload): IPodSpec {
  const { spec } = workload.spec?.template ?? {};
  if (!spec) throw new Error(`${nameOf(workload)} has no pods`);
  return spec;
}

/** Returns the only container of the pod. */
export function containerOf(workload: Workload): IContainer {
  const [container, ...others] = podOf(workload).containers;
  if (!container || others.length > 0) throw new Error(`${nameOf(workload)} must have exactly one container`);
  return container;
}

/** Returns the labels of the pods. */
export function labelsOf(workload: Workload): Record<string, string> {
  return workload.spec?.template.metadata?.labels ?? {};
}

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export function selects(selector: Selector | undefined, labels: Record<string, string>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'NotIn') throw new Error(`the operator of a selector must be NotIn, got ${operator}`);
      return !values.includes(labels[key] ?? '');
    })
  );
}
