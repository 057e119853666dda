// Writes the image digests of a release into the kustomization of an overlay, values of the chart, or docker-compose.yml:
// `npm run pin-images images.json k8s/overlays/<name>/{kustomization,values}.yaml`. images.json is written by
// `docker buildx bake --push --metadata-file images.json`.
import { readFile, writeFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';

const [metadataFile, targetFile] = process.argv.slice(2);
if (!metadataFile || !targetFile) {
  process.stderr.write(
    'usage: node tools/pin-images.mjs METADATA.json KUSTOMIZATION.yaml|VALUES.yaml|docker-compose.yml\n',
  );
  process.exit(2);
}

const built = new Map();
for (const target of Object.values(JSON.parse(await readFile(metadataFile, 'utf8')))) {
  const tagged = String(target['image.name'] ?? '');
  // The port of a registry precedes the last slash, the tag follows it.
  const tag = tagged.indexOf(':', tagged.lastIndexOf('/'));
  const name = tag < 0 ? tagged : tagged.slice(0, tag);
  const digest = target['containerimage.digest'];
  if (name && digest) built.set(name.slice(name.lastIndexOf('/') + 1), { name, digest });
}

const document = parseDocument(await readFile(targetFile, 'utf8'));
// A kustomization has a list of images; values of the chart have one registry and the digests by service; Compose has services.
const programs = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher', 'migrate'];
const images = new Map((document.get('images')?.items ?? []).map((image) => [serviceOf(image.get('name')), image]));
const isChart = document.has('image');
const isCompose = document.has('services');
const wanted = isChart ? programs : isCompose ? [...programs, 'cli'] : [...images.keys()];
const missing = wanted.filter((service) => !built.has(service));
if (missing.length > 0) fail(`has no digest for ${missing.join(', ')}`);
if (isChart) {
  const registries = new Set(wanted.map((service) => built.get(service).name.slice(0, -service.length - 1)));
  if (registries.size > 1) fail(`must have one registry, got ${[...registries].join(', ')}`);
  document.setIn(['image', 'registry'], [...registries][0]);
  document.setIn(['image', 'digests'], Object.fromEntries(wanted.map((name) => [name, built.get(name).digest])));
  document.deleteIn(['image', 'tag']);
}
if (isCompose) {
  for (const service of wanted) {
    const { name, digest } = built.get(service);
    document.setIn(['services', service, 'image'], `${name}@${digest}`);
    // Without them, Compose pulls the image instead of building it.
    for (const key of ['build', 'pull_policy']) document.deleteIn(['services', service, key]);
  }
}
for (const [service, image] of images) {
  const { name, digest } = built.get(service);
  image.set('newName', name);
  image.set('digest', digest);
  image.delete('newTag');
}
await writeFile(targetFile, document.toString({ lineWidth: 0 }));

function serviceOf(name) {
  return String(name).split('/').at(-1);
}

function fail(problem) {
  process.stderr.write(`${metadataFile} ${problem}; nothing was written\n`);
  process.exit(1);
}
