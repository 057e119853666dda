import type { IAffinity } from 'kubernetes-models/v1/Affinity';
import type { IResourceRequirements } from 'kubernetes-models/v1/ResourceRequirements';

/** The fields of rabbitmq.com/v1beta1 that we use, after the Cluster Operator's CustomResourceDefinition; no package carries its schema. */
export interface IRabbitmqCluster {
  apiVersion: 'rabbitmq.com/v1beta1';
  kind: 'RabbitmqCluster';
  metadata: { name: string; namespace: string };
  spec: {
    replicas: number;
    image: string;
    persistence: { storage: string; storageClassName?: string };
    resources: IResourceRequirements;
    affinity?: IAffinity;
  };
}
