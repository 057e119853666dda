import { DefaultNamingStrategy, type Table } from 'typeorm';

/** Columns in snake_case, and foreign keys named as PostgreSQL does: after table and columns. */
export class PostgresNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snakeCase(propertyName);
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return snakeCase(`${relationName}_${referencedColumnName}`);
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return `${this.getTableName(table)}_${columnNames.join('_')}_fkey`;
  }
}

/** Returns a select list whose rows have the properties of an entity: `error_code as "errorCode"`. */
export function selectList(properties: readonly string[], alias?: string): string {
  const from = alias === undefined ? '' : `${alias}.`;
  return properties.map((property) => `${from}${snakeCase(property)} as "${property}"`).join(', ');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
