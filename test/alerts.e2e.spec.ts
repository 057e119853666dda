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
const alertTests = (read('alerts.test.yml') as { tests: RuleTest[] }).tests.flatMap((test) => test.alert_rule_test);

const promtool = (...words: string[]) => spawnSync('promtool', words, { cwd: observability, encoding: 'utf8' });
const hasPromtool = promtool('--version').status === 0;
if (!hasPromtool) process.stderr.write('promtool (of Prometheus) is not installed: the alerts are not tested.\n');

// Mandatory in CI.
(hasPromtool || process.env.CI === 'true' ? describe : describe.skip)('the alert rules in promtool', () => {
  it.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('pass promtool %s %s %s', (...words) => {
    const { status, stdout, stderr } = promtool(...words);
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});

describe('each alert', () => {
  it('has a runbook page with its meaning, where to look and what to do', () => {
    const pages = [...runbook.matchAll(/^## (Idsync\w+)\n([^#]*)/gm)];
    expect(pages.map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
    for (const [page] of pages) expect(page).toMatch(/\*Means\* .*\*Look\* .*\*Do\* /s);
  });

  it.each(rules)('$alert has a summary, a severity and a link to its page', ({ alert, labels, annotations }) => {
    expect(labels.severity).toMatch(/^(page|ticket)$/);
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  });

  it.each(rules)('$alert is tested to fire and not to fire', ({ alert }) => {
    const outcomes = alertTests
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts = [] }) => exp_alerts.length > 0);
    expect(new Set(outcomes)).toEqual(new Set([true, false]));
  });
});
