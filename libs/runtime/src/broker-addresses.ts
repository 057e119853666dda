/** Separates addresses only: a password may contain a comma. */
const separator = /,(?=amqps?:)/;

/** Returns the addresses of a RabbitMQ cluster's nodes: AMQP_URL has one, or several separated by commas. */
export function brokerAddresses(text: string): string[] {
  return text.split(separator);
}
