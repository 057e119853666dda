import { createHash } from 'node:crypto';
import { scalarText, valueAt } from '../json/json-value.js';

const modulus = 2 ** 48;

/**
 * Which resources of a list were seen, some 40 bytes each. Two of a million have the same hash once in twenty thousand
 * lists; then the count of the list is not reached, and the read fails.
 */
export class SeenResources {
  private readonly hashes = new Set<number>();
  /** A sum over all resources, independent of order: sets with the same sum and size are equal. */
  digest = 0;

  static sum(one: number, other: number): number {
    return (one + other) % modulus;
  }

  get size(): number {
    return this.hashes.size;
  }

  /** Adds a resource and returns whether it is new. A resource without an id is identified by its content. */
  add(resource: unknown): boolean {
    const id = scalarText(valueAt(resource, 'id'));
    const bytes = createHash('sha1')
      .update(id ?? `\0${JSON.stringify(resource)}`)
      .digest();
    const hash = bytes.readUIntBE(0, 6) * 16 + ((bytes[6] ?? 0) & 15);
    if (this.hashes.has(hash)) return false;
    this.hashes.add(hash);
    this.digest = SeenResources.sum(this.digest, bytes.readUIntBE(8, 6));
    return true;
  }
}
