// Writes the image digests of a release into the kustomization of an overlay:
// `npm run pin-images images.json k8s/overlays/<name>/kustomization.yaml`. images.json is written by
// `docker buildx bake --push --metadata-file images.json`.
import { readFile, writeFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';

const [metadataFile, kustomizationFile] = process.argv.slice(2);
if (!metadataFile || !kustomizationFile) {
  process.stderr.write('usage: node tools/pin-images.mjs METADATA.json KUSTOMIZATION.yaml\n');
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

const document = parseDocument(await readFile(kustomizationFile, 'utf8'));
const missing = [];
for (const image of document.get('images')?.items ?? []) {
  const service = String(image.get('name')).split('/').at(-1);
  const release = built.get(service);
  if (!release) {
    missing.push(service);
    continue;
  }
  image.set('newName', release.name);
  image.set('digest', release.digest);
  image.delete('newTag');
}
if (missing.length > 0) {
  process.stderr.write(`${metadataFile} has no digest for ${missing.join(', ')}; nothing was written\n`);
  process.exit(1);
}
await writeFile(kustomizationFile, document.toString({ lineWidth: 0 }));
