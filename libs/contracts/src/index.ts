export * from './attribute-priorities.js';
export * from './audit.js';
export * from './compared-text.js';
export * from './connector-config.js';
export * from './connector-health.js';
export { type AwsIamConfig, awsIamConfig, awsIamFields } from './connectors/aws-iam.js';
export type { ConnectorDefinition } from './connectors/connector-definition.js';
export {
  type ConfigOf,
  type ConnectorType,
  canReadOne,
  connectorDefinitions,
  connectorTypes,
  findDefinition,
  shownElsewhere,
} from './connectors/definitions.js';
export { type EntraConfig, entraConfig, entraFields } from './connectors/entra.js';
export type { DateForm, FieldMap, FieldSource, Transform } from './connectors/field-map.js';
export {
  type CsvConfig,
  csvConfig,
  type FileEncoding,
  type FilePlace,
  type JsonlConfig,
  jsonlConfig,
  type LdifConfig,
} from './connectors/files.js';
export { type GithubConfig, githubConfig, githubFields } from './connectors/github.js';
export { type GoogleConfig, googleConfig, googleFields } from './connectors/google.js';
export type { HttpAuth } from './connectors/http-source.js';
export { type JumpcloudConfig, jumpcloudConfig, jumpcloudFields } from './connectors/jumpcloud.js';
export { type KubernetesConfig, kubernetesConfig, kubernetesFields } from './connectors/kubernetes.js';
export {
  type LdapConfig,
  type LdapMapping,
  ldapConfig,
  ldapMappings,
  ldapVirtualNames,
} from './connectors/ldap.js';
export { type OktaConfig, oktaConfig, oktaFields } from './connectors/okta.js';
export type { ScimPushConfig } from './connectors/scim.js';
export { type ScimConfig, scimConfig, scimFields } from './connectors/scim.js';
export { isSecretLdapAttribute, mappedNames, secretRefused } from './connectors/secret-attributes.js';
export type { SqlConfig } from './connectors/sql.js';
export * from './employments.js';
export { eventBody } from './event-catalogue/event-catalogue.js';
export * from './events.js';
export * from './findings.js';
export * from './fixed-values.js';
export * as auditRequests from './http/audit-requests.js';
export * from './http/errors.js';
export { openApiDocument } from './http/openapi.js';
export { hasQueryName, queryNames } from './http/query-parameters.js';
export * as requests from './http/requests.js';
export * as resources from './http/resources.js';
export type * as responses from './http/responses.js';
export { errorStatusesOf, type RouteDefinition } from './http/route.js';
export { adminRoutes, clientRoutes, type GuardedAction, routes } from './http/routes.js';
export * from './ids.js';
export * from './lifecycle-authority.js';
export * from './lifecycle-policy.js';
export * from './machines.js';
export * from './matching-rules.js';
export * from './messages.js';
export * from './operations.js';
export { fullYear, isoForm, isRealDate, parseDate, parseDay } from './parse-date.js';
export { parseUrl } from './parse-url.js';
export * from './portal.js';
export * from './probes.js';
export { type QuarantineReason, quarantineReason, shownQuarantineReason } from './quarantine-reason.js';
export * from './quotas.js';
export * from './record-limits.js';
export * from './records.js';
export { type RoleMapping, roleMapping } from './role-mapping.js';
export * from './schedule.js';
export * from './source-errors.js';
export { checkSourcePath } from './source-path.js';
export * from './tenant-settings.js';
export { thinBody } from './thin-body.js';
export { isTimeZone } from './time-zone.js';
export * from './topology.js';
export { matchesFilter, type WebhookFilter, webhookFilter } from './webhook-filter.js';
export { webhookHeaders } from './webhook-headers.js';
export * from './webhooks.js';
export { essentialWords, generations, particles, titles } from './words-beside-names.js';
