import { DefaultNamingStrategy } from 'typeorm';

/** Columns in snake_case. */
export class PostgresNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snakeCase(propertyName);
  }
}

/** Returns a select list whose rows have the properties of an entity: `error_code as "errorCode"`. */
export function selectList(properties: readonly string[], alias?: string): string {
  const from = alias === undefined ? '' : `${alias}.`;
  return properties.map((property) => `${from}${snakeCase(property)} as "${property}"`).join(', ');
}

/** Returns the name of the column of a property. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
