// Writes the templates of the Helm chart from the manifests for kustomize: `npm run chart [-- FOLDER]`, by default into
// k8s/chart/templates. Each component becomes a condition; values.mjs has what k8s/chart/values.yaml can change.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { conditions, Part, templateOf } from './template.mjs';
import { components, networks, programs, setValues } from './values.mjs';

const k8s = fileURLToPath(new URL('../../k8s', import.meta.url));
const target = process.argv[2] ?? join(k8s, 'chart/templates');
const all = Object.keys(components);

const objects = rendered(['base'], all);
for (const [component, { whole, part = whole }] of Object.entries(components)) {
  const others = all.filter((each) => each !== component);
  const without = new Map([...rendered(['base'], others)]);
  for (const [id, object] of objects) {
    if (without.has(id)) findParts(object, without.get(id), part);
    else conditions.set(object, { component, code: whole });
  }
}
// The policies of private networks are in no component, because each overlay has its own.
for (const [id, object] of rendered(['overlays/example'], []))
  if (object.metadata.name in networks) objects.set(id, object);
// Helm creates the namespace (`--create-namespace`).
objects.delete('Namespace/idsync');

const files = new Map();
for (const object of objects.values()) {
  const file = fileOf(object);
  files.set(file, [...(files.get(file) ?? []), object]);
  setValues(object);
}
mkdirSync(target, { recursive: true });
for (const [file, content] of files) writeFileSync(join(target, `${file}.yaml`), templateOf(content));

/** Renders folders of k8s with components. Returns the objects by kind and name. */
function rendered(resources, names) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'idsync-chart-')));
  try {
    const to = (path) => relative(folder, join(k8s, path));
    const kustomization = { resources: resources.map(to), components: names.map((name) => to(`components/${name}`)) };
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    // The settings keep their name in the chart, where their checksum replaces the pods.
    const text = kustomize(folder).replace(/\bsettings-[a-z\d]{10}$/gm, 'settings');
    const parsed = parseAllDocuments(text).map((document) => document.toJS());
    return new Map(parsed.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function kustomize(folder) {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26 };
  try {
    return execFileSync('kubectl', ['kustomize', folder], options);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return execFileSync('kustomize', ['build', folder], options);
  }
}

/** Notes what `other` lacks or has in addition, with the condition under which it is written. */
function findParts(node, other, code) {
  if (Array.isArray(node)) {
    const known = new Set(other.map((item) => JSON.stringify(item)));
    for (const [at, item] of node.entries()) {
      if (known.has(JSON.stringify(item))) continue;
      if (node.length === other.length) findParts(item, other[at], code);
      else conditions.set(item, { code });
    }
  } else if (node !== null && typeof node === 'object') {
    for (const [key, child] of Object.entries(node)) {
      if (child instanceof Part) continue;
      if (key in other) findParts(child, other[key], code);
      else node[key] = new Part(code, child);
    }
    for (const key of Object.keys(other)) if (!(key in node)) node[key] = new Part(`not (${code})`, other[key]);
  }
}

function fileOf(object) {
  const { name } = object.metadata;
  const { component } = conditions.get(object) ?? {};
  if (component) return component;
  if (name in networks) return 'private-networks';
  if (programs.includes(name)) return name;
  return object.kind === 'ConfigMap' ? 'settings' : 'network-policies';
}
