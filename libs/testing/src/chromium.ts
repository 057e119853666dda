import { existsSync } from 'node:fs';
import type { Define } from './variants.js';

/** Debian's Chromium without windows takes two thirds of the CPU of the whole browser. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const chosen = process.env.CHROMIUM ? [process.env.CHROMIUM] : installed;

/** The browser of tests: `CHROMIUM`, else an installed one; undefined if there is none. */
export const chromiumProgram = chosen.find((program) => existsSync(program));

/** Returns Jest's `describe`, or its `skip` with a message if there is no Chromium. */
export function inChromium(define: Define, suite: string): Define | Define['skip'] {
  if (chromiumProgram) return define;
  process.stdout.write(`Skipped: ${suite}: ${chosen.join(' and ')} are not installed\n`);
  return define.skip;
}
