import { encodeId } from '@idsync/contracts';
import { createConnector } from '../src/create-connector.js';
import type { PushedUser, PushedUsers } from '../src/scim-push/scim-push-connector.js';

interface Place {
  position: number;
  id: string;
}

/** Returns the internal id of the user with this number. */
export const uuidOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const idOf = (number: number) => encodeId('scimResource', uuidOf(number));

/** Pushed users in memory, in the order of the database. */
export class Pushes implements PushedUsers {
  private readonly users = new Map<string, PushedUser>();
  private position = 0;
  private oldest = 0;

  push(number: number, document: object | undefined): void {
    const id = uuidOf(number);
    if (document === undefined && !this.users.has(id)) return;
    this.position += 1;
    this.users.set(id, { id, position: this.position, document });
  }

  forgetDeletions(): void {
    for (const [id, { document, position }] of this.users) {
      if (document !== undefined) continue;
      this.users.delete(id);
      this.oldest = Math.max(this.oldest, position);
    }
  }

  async behind(place: Place, { limit, deletedToo }: { limit: number; deletedToo: boolean }) {
    const behind = [...this.users.values()]
      .filter(({ position, id }) => position > place.position || (position === place.position && id > place.id))
      .filter(({ document }) => deletedToo || document !== undefined)
      .sort((a, b) => a.position - b.position);
    return { users: behind.slice(0, limit), last: behind.length <= limit };
  }

  async one(id: string): Promise<PushedUser | undefined> {
    return this.users.get(id);
  }

  async pushState(): Promise<{ last: number; forgotten: number }> {
    return { last: this.position, forgotten: this.oldest };
  }

  connector() {
    return createConnector({ type: 'scim-push', records: 'user', config: {}, sourcesDir: '/nowhere', pushed: this });
  }

  /** Returns ids and titles of all users. */
  titles(): Set<string> {
    const living = [...this.users.values()].filter(({ document }) => document !== undefined);
    return new Set(
      living.map(({ id, document }) => `${encodeId('scimResource', id)} ${(document as { title: string }).title}`),
    );
  }
}
