// Errors of Node's core come from another realm than Jest's, so `instanceof Error` would be false for them.
import { types } from 'node:util';

for (const kind of [Error, TypeError, RangeError, SyntaxError]) {
  Object.defineProperty(kind, Symbol.hasInstance, {
    configurable: true,
    value(candidate) {
      const plain = Function.prototype[Symbol.hasInstance].call(this, candidate);
      return plain || (types.isNativeError(candidate) && (this === Error || candidate.name === this.name));
    },
  });
}
