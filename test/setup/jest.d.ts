/** Jest moves `jest.mock` before the imports only if `jest` is the global one, which has no type otherwise. */
declare const jest: typeof import('@jest/globals')['jest'];
