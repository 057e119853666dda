import type { IAffinity } from 'kubernetes-models/v1/Affinity';
import type { IResourceRequirements } from 'kubernetes-models/v1/ResourceRequirements';

/** The used fields of the Cluster Operator's CustomResourceDefinition, because no package has its schema. */
export interface IRabbitmqCluster {
  apiVersion: 'rabbitmq.com/v1beta1';
  kind: 'RabbitmqCluster';
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  spec: {
    replicas: number;
    image: string;
    tls?: { secretName: string; disableNonTLSListeners?: boolean };
    persistence: { storage: string; storageClassName?: string };
    resources: IResourceRequirements;
    affinity?: IAffinity;
  };
}

/** Copied from the Messaging Topology Operator's CustomResourceDefinitions. */
export interface IUser {
  apiVersion: 'rabbitmq.com/v1beta1';
  kind: 'User';
  metadata: { name: string; namespace: string };
  spec: { rabbitmqClusterReference: { name: string }; importCredentialsSecret: { name: string } };
}

export interface IPermission {
  apiVersion: 'rabbitmq.com/v1beta1';
  kind: 'Permission';
  metadata: { name: string; namespace: string };
  spec: {
    rabbitmqClusterReference: { name: string };
    vhost: string;
    userReference: { name: string };
    permissions: { configure: string; write: string; read: string };
  };
}
