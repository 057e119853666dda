// Progress output with the seconds since the start.
const started = Date.now();

export function say(text) {
  process.stdout.write(`${((Date.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${text}\n`);
}

export async function timed(what, work) {
  const from = Date.now();
  const result = await work();
  say(`${what} (${((Date.now() - from) / 1_000).toFixed(1)} s)`);
  return result;
}
