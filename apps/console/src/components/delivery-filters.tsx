import type { SearchOf } from '../data/search-params';
import { type deliverySearch, deliveryStatuses } from './delivery-search';
import { choicesOf, FilterBar, SearchField, SelectFilter } from './fields';

export type DeliverySearch = SearchOf<typeof deliverySearch>;

/** Filters of a list of deliveries. */
export function DeliveryFilters({
  status,
  type,
  onChange,
}: DeliverySearch & { onChange: (changed: DeliverySearch) => unknown }) {
  return (
    <FilterBar>
      <SelectFilter
        label="Deliveries"
        any="Any"
        value={status}
        choices={choicesOf(deliveryStatuses)}
        onChange={(chosen) => onChange({ status: chosen as DeliverySearch['status'] })}
      />
      <SearchField
        label="Event type"
        placeholder="Event type, such as identity.updated"
        value={type ?? ''}
        onChange={(text) => onChange({ type: text || undefined })}
      />
    </FilterBar>
  );
}
