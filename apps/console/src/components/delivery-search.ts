import { searchOf } from '../data/search-params';

export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export const deliverySearch = searchOf({ status: deliveryStatuses, type: 'text' });
