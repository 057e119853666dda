import { deliveryStatuses } from './delivery-statuses';
import { choicesOf, FilterBar, SearchField, SelectFilter } from './fields';

export type DeliveryStatus = (typeof deliveryStatuses)[number];

interface DeliveryFiltersProps {
  status: DeliveryStatus | undefined;
  type: string | undefined;
  onChange: (changed: { status?: DeliveryStatus | undefined; type?: string | undefined }) => void;
}

/** Filters of a list of deliveries. */
export function DeliveryFilters({ status, type, onChange }: DeliveryFiltersProps) {
  return (
    <FilterBar>
      <SelectFilter
        label="Deliveries"
        any="Any"
        value={status}
        choices={choicesOf(deliveryStatuses)}
        onChange={(chosen) => onChange({ status: chosen as DeliveryStatus | undefined })}
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
