import type { ScimKind } from '@idsync/database/scim';
import SCIMMY from 'scimmy';

/** An attribute as RFC 7643 defines it. */
export interface ScimAttribute {
  name: string;
  type: string;
  multiValued: boolean;
  mutability?: string;
  subAttributes?: ScimAttribute[];
}

export interface ScimSchema {
  id: string;
  name: string;
  attributes: ScimAttribute[];
}

type Attributes = ReadonlyMap<string, ScimAttribute>;

/** Passwords are not needed, so they are never stored. */
export const neverStored: ReadonlySet<string> = new Set(['password']);

export const userSchema = described(SCIMMY.Schemas.User);
export const groupSchema = described(SCIMMY.Schemas.Group);
export const enterpriseSchema = described(SCIMMY.Schemas.EnterpriseUser);
export const schemas = [userSchema, groupSchema, enterpriseSchema];
export const schemaOf: Record<ScimKind, ScimSchema> = { User: userSchema, Group: groupSchema };
/** The attribute that lists memberships. */
export const membershipsOf = { User: 'groups', Group: 'members' } as const;

/** Attributes that only the service sets. */
export const readOnlyNames: ReadonlySet<string> = new Set(['id', 'meta', 'groups']);
/** Attributes that clients send, and that are not stored. */
export const ignoredNames: ReadonlySet<string> = new Set(['schemas', ...neverStored]);

const externalId: ScimAttribute = { name: 'externalId', type: 'string', multiValued: false };
const core: Record<ScimKind, Attributes> = {
  User: byName([externalId, ...userSchema.attributes]),
  Group: byName([externalId, ...groupSchema.attributes]),
};
const enterprise = byName(enterpriseSchema.attributes);

/** Returns the writable attributes by lower-case name: of the core schema without `urn`, undefined for an unknown extension. */
export function attributesOf(kind: ScimKind, urn?: string): Attributes | undefined {
  if (urn === undefined || same(urn, schemaOf[kind].id)) return core[kind];
  return kind === 'User' && same(urn, enterpriseSchema.id) ? enterprise : undefined;
}

/** Returns the stored spelling of each URN and each name without a schema, which compare regardless of case, by its lower case. */
export function spellings(stored: object): Map<string, string> {
  return new Map(Object.keys(stored).map((name) => [name.toLowerCase(), name]));
}

export function spelling(stored: unknown, name: string): string {
  return Object.keys(stored ?? {}).find((each) => same(each, name)) ?? name;
}

export function isUrn(name: string): boolean {
  return /^urn:/i.test(name);
}

export function subAttribute(attribute: ScimAttribute, name: string): ScimAttribute | undefined {
  return attribute.subAttributes?.find((sub) => sub.name.toLowerCase() === name.toLowerCase());
}

export function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function byName(attributes: readonly ScimAttribute[]): Attributes {
  const writable = attributes.filter(({ mutability }) => mutability !== 'readOnly');
  return new Map(writable.map((attribute) => [attribute.name.toLowerCase(), attribute]));
}

function described({ definition }: { definition: { describe(): object } }): ScimSchema {
  // Serialized first, because the properties are readable only through toJSON.
  const schema = JSON.parse(JSON.stringify(definition.describe())) as ScimSchema;
  return { ...schema, attributes: schema.attributes.filter(({ name }) => !neverStored.has(name)) };
}
