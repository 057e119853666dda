// What the console needs of a browser and jsdom does not have.
const { runInThisContext } = require('node:vm');

/** Classes of Node, which the context of a test does not have. */
for (const name of ['Headers', 'Request', 'Response']) globalThis[name] = runInThisContext(name);

/** A wide window with a mouse, so that tables show all columns. */
globalThis.matchMedia = (media) => Object.assign(new EventTarget(), { media, matches: media.startsWith('(min-width') });

/** A stream of events that never opens, so that lists are polled. */
globalThis.EventSource = class extends EventTarget {
  static CLOSED = 2;
  close() {}
};
globalThis.scrollTo = () => {};
Element.prototype.scrollIntoView = () => {};
