export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
