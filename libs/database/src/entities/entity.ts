import { type ColumnType, EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';

interface Column<Value> extends EntitySchemaColumnOptions {
  /** Only the type of a row reads it. */
  readonly value?: Value;
}

type Options = Omit<EntitySchemaColumnOptions, 'type'>;

/** Returns a function that defines columns of a type of PostgreSQL. */
function columnsOf<Default>(type: ColumnType) {
  function column<Value = Default>(options: Options & { nullable: true }): Column<Value | null>;
  function column<Value = Default>(options?: Options): Column<Value>;
  function column(options?: Options): Column<unknown> {
    return { ...options, type };
  }
  return column;
}

export const bigint = columnsOf<number>('bigint');
export const boolean = columnsOf<boolean>('boolean');
export const bytea = columnsOf<Buffer>('bytea');
export const integer = columnsOf<number>('integer');
export const smallint = columnsOf<number>('smallint');
export const jsonb = columnsOf<unknown>('jsonb');
export const text = columnsOf<string>('text');
export const timestamptz = columnsOf<Date>('timestamptz');
export const uuid = columnsOf<string>('uuid');

/** The tenant whose transactions alone see the row. Every key begins with it. */
export const ofTenant = { tenantId: uuid({ primary: true }) };

/** Defines a table for TypeORM's repositories. `RowOf` is the type of its rows. */
export function entity<Columns extends Record<string, EntitySchemaColumnOptions>>(table: string, columns: Columns) {
  type Row = { [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never };
  return new EntitySchema<Row>({ name: table, columns });
}

export type RowOf<Schema> = Schema extends EntitySchema<infer Row> ? Row : never;
