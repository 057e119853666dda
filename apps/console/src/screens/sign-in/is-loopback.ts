/** Whether the console is opened on the machine that runs it, as by `npm start`. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || isIpv4(hostname);
}

const isIpv4 = (hostname: string) => /^127(\.\d{1,3}){3}$/.test(hostname);
