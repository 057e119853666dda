import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface Rule {
  alert: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

interface RuleTest {
  alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[];
}

const observability = fileURLToPath(new URL('../observability', import.meta.url));
const runbook = readFileSync(fileURLToPath(new URL('../docs/runbook.md', import.meta.url)), 'utf8');
const read = (name: string): unknown => parse(readFileSync(`${observability}/${name}`, 'utf8'));
const rules = (read('alerts.yml') as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
const looks = (read('alerts.test.yml') as { tests: RuleTest[] }).tests.flatMap((test) => test.alert_rule_test);

const promtool = (...words: string[]) => spawnSync('promtool', words, { cwd: observability, encoding: 'utf8' });
const hasPromtool = promtool('--version').status === 0;
if (!hasPromtool) process.stderr.write('promtool (of Prometheus) is absent: the tests of the alerts are left out.\n');

// Under CI it must be there.
(hasPromtool || process.env.CI === 'true' ? describe : describe.skip)('the alerts, as Prometheus reads them', () => {
  it.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('pass promtool %s %s %s', (...words) => {
    const { status, stdout, stderr } = promtool(...words);
    expect({ status, told: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, told: '' });
  });
});

describe('each alert', () => {
  it('has a page of the runbook that says what it means, where to look and what to do', () => {
    const pages = [...runbook.matchAll(/^## (Idsync\w+)\n([^#]*)/gm)];
    expect(pages.map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
    for (const [page] of pages) expect(page).toMatch(/\*Means\* .*\*Look\* .*\*Do\* /s);
  });

  it.each(rules)('$alert says what it is, how urgent, and where its page is', ({ alert, labels, annotations }) => {
    expect(labels.severity).toMatch(/^(page|ticket)$/);
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  });

  it.each(rules)('$alert is tested to fire, and not to', ({ alert }) => {
    const told = looks
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts = [] }) => exp_alerts.length > 0);
    expect(new Set(told)).toEqual(new Set([true, false]));
  });
});
