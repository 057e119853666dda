// Loads test files with Node's module loader, so that all files of a worker share the modules that they import. The
// runtime of Jest loads NestJS, TypeORM and the packages of this repository again for each file.
const { register, registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');
const { MessageChannel, receiveMessageOnPort } = require('node:worker_threads');
const { default: JestRuntime } = require('jest-runtime');

/** Where `globals.mjs` finds the functions of the file that runs. */
const ofCurrentFile = Symbol.for('idsync.jest');
let messagesOfHooks;
let hooked;

/** Paths of source maps by the URL of a module, as far as the hooks have reported them. */
class SourceMaps extends Map {
  get(url) {
    let received = messagesOfHooks && receiveMessageOnPort(messagesOfHooks);
    while (received) {
      this.set(received.message.url, received.message.map);
      received = receiveMessageOnPort(messagesOfHooks);
    }
    return super.get(url);
  }
}

const sourceMaps = new SourceMaps();

module.exports = class SharedModulesRuntime extends JestRuntime {
  constructor(config, environment, resolver, transformer, cacheFS, coverage, testPath, globalConfig) {
    super(config, environment, resolver, transformer, cacheFS, coverage, testPath, globalConfig);
    hooked ??= hookModules({ config, coverage });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    await hooked;
    return import(pathToFileURL(path).href);
  }

  /** Jest's own modules hold the tests of a file, so each file has a new copy. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    globalThis[ofCurrentFile] = this.requireModuleOrMock(this._testPath, '@jest/globals');
  }

  getSourceMaps() {
    return sourceMaps;
  }

  /** Jest replaces a function of its copy of `process`; here it would be that of the real one. */
  installGetBuiltinModule() {}
};

/** Node 20 runs hooks only in another thread, whose start and messages cost a process about a second of CPU. */
async function hookModules(options) {
  if (registerHooks) {
    const { prepare, resolve, load } = await import('./hooks.mjs');
    await prepare({ ...options, report: (url, map) => sourceMaps.set(url, map) });
    registerHooks({ resolve, load });
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  messagesOfHooks = port1;
  const parentURL = pathToFileURL(__filename).href;
  register('./hooks.mjs', { parentURL, data: { ...options, port: port2 }, transferList: [port2] });
}
