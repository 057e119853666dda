// The console that the stack serves, in a real browser: a run of a source is started, and becomes a person.
import assert from 'node:assert/strict';
import { chromiumProgram } from '@idsync/testing';
import { chromium } from 'playwright-core';
import { say } from './say.mjs';

const isStream = (url) => /\/events\/stream$/.test(url);
const timeoutMs = 60_000;

/** Reports and skips a machine without Chromium. */
export async function isUsable(world) {
  if (!chromiumProgram) return say('Chromium is not installed: the console is skipped');
  // The sandbox of Chromium needs privileges that a container does not have; the pages are our own.
  const browser = await chromium.launch({ executablePath: chromiumProgram, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(timeoutMs);
    await run(world, page);
  } finally {
    await browser.close();
  }
  say('console: a run was started, followed by the event stream, and its person explained');
}

async function run(world, page) {
  // Violations of the content security policy are errors on the console of the browser.
  const reports = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) reports.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => reports.push(error.message));

  await page.goto(`${world.stack.url}/console/`);
  await page.getByLabel('Operator token').fill(world.stack.secrets.ADMIN_TOKEN);
  // The question whether there is a session is answered with a 401, which the browser reports.
  reports.length = 0;
  const stream = page.waitForResponse((response) => isStream(response.url()));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  assert.equal((await stream).status(), 200, 'the proxy passes the event stream on');

  await world.people.change({ joining: 1 });
  const name = world.people.name(world.people.count - 1);
  await page.getByLabel('Screens').getByRole('link', { name: 'Sources', exact: true }).click();
  await page.getByRole('link', { name: 'HR', exact: true }).click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('heading', { name: 'Run of HR' }).waitFor();
  await page.getByText('Completed', { exact: true }).first().waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill(name);
  await page.getByRole('option', { name }).click();
  await page.getByRole('heading', { name }).waitFor();
  await page.getByRole('button', { name: 'Why? job_title' }).click();
  await page.getByText('HR decides:', { exact: false }).waitFor();
  assert.deepEqual(reports, [], 'reports of the browser');
}
