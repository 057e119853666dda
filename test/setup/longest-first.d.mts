export default class LongestFirst {
  sort<T extends { path: string }>(tests: T[]): T[];
}
