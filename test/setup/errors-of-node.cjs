// Jest runs tests in a context whose classes differ from those of Node: `instanceof` accepts errors that Node made, too.
const { runInThisContext } = require('node:vm');

const { [Symbol.hasInstance]: isInstance } = Function.prototype;
for (const name of ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'AggregateError']) {
  const own = globalThis[name];
  const ofNode = runInThisContext(name);
  Object.defineProperty(own, Symbol.hasInstance, {
    value(value) {
      // Subclasses inherit this function.
      return isInstance.call(this, value) || (this === own && isInstance.call(ofNode, value));
    },
  });
}
