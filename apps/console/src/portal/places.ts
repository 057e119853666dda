/** Places of the portal, as paths below `/portal`: all webhooks, one of them, one of its deliveries. */
export interface Place {
  webhookId?: string;
  deliveryId?: string;
}

const base = '/portal';
const form = /^\/portal(?:\/(whk_[0-9a-z]{26})(?:\/(dlv_[0-9a-z]{26}))?)?\/?$/;

export function placeOf(path: string): Place {
  const [, webhookId, deliveryId] = form.exec(path) ?? [];
  return { ...(webhookId && { webhookId }), ...(deliveryId && { deliveryId }) };
}

export function pathOf({ webhookId, deliveryId }: Place): string {
  return `${[base, webhookId, webhookId && deliveryId].filter(Boolean).join('/')}${webhookId ? '' : '/'}`;
}
