import type { BrowserContextOptions } from 'playwright-core';
import type { ConsoleUnderTest, Visit } from '../support/console-browser.js';

/** Shared by the tests of all screens: one instance with the demo, and the window of the test. */
export interface ConsoleContext {
  readonly idsync: ConsoleUnderTest;
  readonly tenant: string;
  /** Opens a window with a session, and no page yet: of the administrator without a token. */
  opened: (options?: BrowserContextOptions, token?: string) => Promise<Visit>;
  /** Returns the id of the first person who is found. */
  personNamed: (text: string) => Promise<string>;
}
