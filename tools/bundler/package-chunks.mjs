/**
 * Groups the packages that programs always load into separate chunks, one for each set of programs that load them. Such a
 * chunk needs no source map: Node parses the map of each chunk that it loads.
 */
export function packageChunks(programs) {
  let loaded;
  return {
    debugName: 'packages',
    name: (id, context) => {
      if (!isPackage(id)) return null;
      loaded ??= Object.entries(programs).map(([name, program]) => [name, staticallyImported(program, context)]);
      const names = loaded.filter(([, modules]) => modules.has(id)).map(([name]) => name);
      return names.length > 0 ? `packages-of-${names.join('-')}` : null;
    },
  };
}

/** Plugin: removes the maps of chunks that consist of packages. */
export const withoutPackageMaps = {
  name: 'without-package-maps',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || !chunk.sourcemapFileName || !chunk.moduleIds.every(isPackage)) continue;
      delete bundle[chunk.sourcemapFileName];
      chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
    }
  },
};

/** The runtime of the bundler counts as a package. */
function isPackage(id) {
  return id.includes('/node_modules/') || id.startsWith('\0');
}

function staticallyImported(program, context) {
  const found = new Set([program]);
  for (const id of found) for (const next of context.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}
