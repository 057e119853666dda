// Conventional Commits. The scope is a package, or another part of the repository.
import { readdirSync } from 'node:fs';

const packages = ['apps', 'libs'].flatMap((folder) => readdirSync(new URL(folder, import.meta.url)));
const others = ['adr', 'bench', 'chaos', 'ci', 'compose', 'deps', 'deps-dev', 'e2e', 'k8s', 'observability', 'tools'];
const conventional = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];

export default {
  extends: ['@commitlint/config-conventional'],
  rules: {
    'type-enum': [2, 'always', [...conventional, 'bench', 'merge']],
    'scope-enum': [2, 'always', [...packages, ...others]],
    'header-max-length': [2, 'always', 120],
    // Subjects may begin with names such as SQL and SCIM.
    'subject-case': [0],
    // A sentence of the body is one line of any length, and so are links from Dependabot.
    'body-max-line-length': [0],
    'footer-max-line-length': [0],
  },
};
