// --profile observability of the stack: checks that Prometheus sees every replica, and that Grafana requires a login.
import assert from 'node:assert/strict';
import { say } from './say.mjs';
import { until } from './world.mjs';

/** Returns whether Prometheus is running. Reports and skips an image that is not available. */
export async function observe(stack) {
  const wanted = [];
  for (const service of ['prometheus', 'grafana']) {
    if (await stack.hasImage(service)) wanted.push(service);
    else say(`the image of ${service} is not available and cannot be pulled: ${service} is skipped`);
  }
  if (wanted.length > 0) await stack.start(...wanted);
  if (wanted.includes('grafana')) await asksForPassword(stack);
  return wanted.includes('prometheus');
}

/** Checks that there is one healthy target per replica. */
export async function seesAll(stack, scale) {
  let seen;
  const counted = async () => {
    const { activeTargets } = await ask(stack, 'targets?state=active');
    seen = activeTargets.map(({ labels, health, lastError }) => [labels.service ?? labels.job, health, lastError]);
    const upOf = (name) => seen.filter(([service, health]) => service === name && health === 'up').length;
    const wanted = Object.entries({ ...scale, rabbitmq: 1 });
    const all = wanted.reduce((sum, [, count]) => sum + count, 0);
    return seen.length === all && wanted.every(([name, count]) => upOf(name) === count);
  };
  await until(counted, 'Prometheus did not see all replicas', { seconds: 120 }).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(seen)}`);
  });
  say(`Prometheus: ${seen.length} targets are up`);
}

export async function isQuiet(stack) {
  const { groups } = await ask(stack, 'rules');
  const rules = groups.flatMap(({ rules: each }) => each);
  assert.ok(rules.length > 0, 'Prometheus has no rules');
  const failing = rules.filter(({ health }) => health === 'err').map(({ name, lastError }) => [name, lastError]);
  assert.deepEqual(failing, [], 'failing rules');
  const firing = rules.filter(({ state }) => state === 'firing').map(({ name, alerts }) => [name, alerts]);
  assert.deepEqual(firing, [], 'firing alerts');
  for (const query of ['sum(idsync_events_appended_total) > 0', 'rabbitmq_detailed_queue_messages_ready']) {
    const { result } = await ask(stack, `query?query=${encodeURIComponent(query)}`);
    assert.ok(result.length > 0, `no result for ${query}`);
  }
  say(`Prometheus: ${rules.length} rules are evaluated, none fires`);
}

async function ask({ prometheusUrl }, what) {
  const answer = await fetch(`${prometheusUrl}/api/v1/${what}`);
  const { status, data, error } = await answer.json();
  assert.equal(status, 'success', error);
  return data;
}

async function asksForPassword({ grafanaUrl, secrets }) {
  const search = (headers) => fetch(`${grafanaUrl}/api/search?type=dash-db`, { headers });
  assert.equal((await search({})).status, 401, 'Grafana answers without a login');
  const admin = Buffer.from(`admin:${secrets.GRAFANA_PASSWORD}`).toString('base64');
  const dashboards = await (await search({ authorization: `Basic ${admin}` })).json();
  assert.equal(dashboards.length, 1, `Grafana shows ${JSON.stringify(dashboards)}`);
  say('Grafana has the dashboard and requires the password');
}
