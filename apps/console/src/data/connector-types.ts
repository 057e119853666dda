import { queryOptions } from '@tanstack/react-query';

/** The part of JSON Schema that `openapi.json` uses for connectors. */
export interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: readonly string[];
  oneOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export interface ConnectorType {
  type: string;
  config: Schema;
  secrets: Schema;
}

interface Document {
  paths: Record<string, { post?: { requestBody: { content: { 'application/json': { schema: Schema } } } } }>;
}

/** Reads the definitions of all connector types from the contract, so that the console does not repeat them. */
async function readTypes(): Promise<ConnectorType[]> {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`The service answered with status ${response.status}.`);
  const { paths } = (await response.json()) as Document;
  const route = paths['/admin/v1/tenants/{tenantId}/connectors'];
  return (route?.post?.requestBody.content['application/json'].schema.oneOf ?? []).flatMap(({ properties }) => {
    const type = properties?.type?.const;
    return typeof type === 'string'
      ? [{ type, config: properties?.config ?? {}, secrets: properties?.secrets ?? {} }]
      : [];
  });
}

export const connectorTypesQuery = queryOptions({
  queryKey: ['connector-types'],
  queryFn: readTypes,
  staleTime: Number.POSITIVE_INFINITY,
});
