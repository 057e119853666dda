import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const observability = fileURLToPath(new URL('../observability', import.meta.url));
const promtool = (...words: string[]) => spawnSync('promtool', words, { cwd: observability, encoding: 'utf8' });
const hasPromtool = promtool('--version').status === 0;
if (!hasPromtool) process.stderr.write('promtool (of Prometheus) is absent: the tests of the alerts are left out.\n');

(hasPromtool ? describe : describe.skip)('the alerts, as Prometheus reads them', () => {
  it.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('pass promtool %s %s %s', (...words) => {
    const { status, stdout, stderr } = promtool(...words);
    expect({ status, told: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, told: '' });
  });
});
