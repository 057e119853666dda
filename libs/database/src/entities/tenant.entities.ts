import { entity, type RowOf, text, timestamptz, uuid } from './entity.js';

export const TenantEntity = entity('tenants', {
  id: uuid({ primary: true }),
  name: text(),
  createdAt: timestamptz({ createDate: true }),
  /** Null unless the tenant is suspended. */
  suspendedAt: timestamptz({ nullable: true }),
});
export type TenantEntity = RowOf<typeof TenantEntity>;
