import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from './render.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const timeoutMs = 110_000;

/** Packages with the published schemas of the operators; those of Kubernetes itself are in `kubernetes-models`. */
const packages: Record<string, string> = {
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
};

/**
 * Returns one line for each violation of the schemas of Kubernetes and of the operators. The compiler finds unknown and
 * missing fields and wrong types; the published validators find wrong values.
 */
export async function schemaErrors(manifests: readonly Manifest[]): Promise<string[]> {
  const checked = manifests.map(withPublishedVersion);
  const [ofTypes, ofValues] = await Promise.all([typeErrors(checked), valueErrors(checked)]);
  return [...ofTypes, ...ofValues];
}

/**
 * Checks `external-secrets.io/v1` with the schemas of `v1beta1`, which has the same fields of ExternalSecret and
 * SecretStore, because the package with schemas of `v1` does not run on Node 20.
 */
function withPublishedVersion(manifest: Manifest): Manifest {
  if (manifest.apiVersion !== 'external-secrets.io/v1') return manifest;
  return { ...manifest, apiVersion: 'external-secrets.io/v1beta1' };
}

/** Finds unknown fields with the compiler, because the validators accept additional fields. */
async function typeErrors(manifests: readonly Manifest[]): Promise<string[]> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'k8s-'));
  try {
    await Promise.all(
      manifests.map((manifest) => writeFile(join(folder, `${nameOf(manifest)}.ts`), sourceOf(manifest))),
    );
    const config = {
      compilerOptions: {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
        target: 'es2023',
        module: 'preserve',
      },
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return await compile(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function sourceOf(manifest: Manifest): string {
  const type = `I${manifest.kind}`;
  return `import type { ${type} } from '${moduleOf(manifest) ?? '../../../k8s/test/rabbitmq-cluster.js'}';\nexport const manifest: ${type} = ${JSON.stringify(manifest, null, 1)};\n`;
}

function compile(folder: string): Promise<string[]> {
  const tsc = join(root, 'node_modules/.bin/tsc');
  return new Promise((resolve, reject) => {
    execFile(tsc, ['--pretty', 'false', '-p', folder], { cwd: folder, timeout: timeoutMs }, (error, stdout) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      if (error && lines.length === 0) reject(error);
      else resolve(lines);
    });
  });
}

async function valueErrors(manifests: readonly Manifest[]): Promise<string[]> {
  const errors: string[] = [];
  for (const manifest of manifests) {
    const module = moduleOf(manifest);
    if (!module) continue;
    try {
      const Model = (await import(module))[manifest.kind];
      new Model(manifest).validate();
    } catch (error) {
      errors.push(`${nameOf(manifest)}: ${String(error)}`);
    }
  }
  return errors;
}

/** Returns undefined for the API group without a published schema. */
function moduleOf({ apiVersion, kind }: Manifest): string | undefined {
  if (apiVersion === 'rabbitmq.com/v1beta1') return undefined;
  const [group = ''] = apiVersion.split('/');
  return `${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}

function nameOf({ kind, metadata }: Manifest): string {
  return `${kind}-${metadata.name}`;
}
