/** The account that work counts against: a tenant (group) and one of its API keys (member). */
export interface Share {
  group: string;
  member: string;
}

export interface ShareLimits {
  /** Connections of all groups together. */
  connections: number;
  /** Maximum number of connections of one member. */
  ofOneMember: number;
  /** Maximum number of waiting requests of all groups. */
  waiting: number;
  waitingOfOneMember: number;
  waitMs: number;
}

/** Thrown if too many requests wait for a connection, or if this one has waited too long. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';
}

/** Half-life of past connection usage. */
const halfLifeMs = 10_000;
/** Members with less recent usage than this are idle. */
const idleBelowMs = 1;
/** Number of members below which idle ones are kept. */
const minDropMembers = 1_000;

/** Recent connection time of a group or member, including connections in use. */
class Usage {
  running = 0;
  waiting = 0;
  private begun = 0;
  private used = 0;
  private usedAt = 0;

  begin(now: number): void {
    this.running += 1;
    this.begun += now;
  }

  end(now: number, begun: number): void {
    this.used = this.past(now) + (now - begun);
    this.usedAt = now;
    this.running -= 1;
    this.begun -= begun;
  }

  recentMs(now: number): number {
    return this.past(now) + this.running * now - this.begun;
  }

  isIdle(now: number): boolean {
    return this.running === 0 && this.waiting === 0 && this.past(now) < idleBelowMs;
  }

  private past(now: number): number {
    return this.used * 0.5 ** ((now - this.usedAt) / halfLifeMs);
  }
}

interface Waiting {
  begin: () => void;
}

interface Member {
  usage: Usage;
  queue: Waiting[];
}

interface Group {
  usage: Usage;
  members: Map<string, Member>;
}

/**
 * Distributes connections fairly; a pool alone serves requests in their order, so that one key with slow requests would
 * delay all tenants. A group may take a connection while it has fewer than are free: the first busy group
 * gets half, the next half of the rest, and one remains for a group without any.
 * Among waiting requests, the group with the least recent database time is next, and within it the member with the
 * least.
 */
export class FairShares {
  private readonly groups = new Map<string, Group>();
  private running = 0;
  private waitingNow = 0;
  /** Number of members of all groups. */
  private members = 0;
  private dropAboveMembers = minDropMembers;

  constructor(
    private readonly limits: ShareLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get waiting(): number {
    return this.waitingNow;
  }

  /** Waits for a connection and returns a function that releases it. Throws DatabaseBusy. */
  async take(share: Share): Promise<() => void> {
    return this.takeNow(share) ?? this.wait(...this.accountOf(share));
  }

  /** Like `take`, but returns undefined instead of waiting. Saves a promise if a connection is free. */
  takeNow(share: Share): (() => void) | undefined {
    const [group, member] = this.accountOf(share);
    return this.fits(group, member) ? this.begin(group, member) : undefined;
  }

  get size(): number {
    return this.members;
  }

  private accountOf({ group: groupName, member: memberName }: Share): [Group, Member] {
    const group = entry(this.groups, groupName, () => ({ usage: new Usage(), members: new Map<string, Member>() }));
    const member = entry(group.members, memberName, () => {
      this.members += 1;
      return { usage: new Usage(), queue: [] };
    });
    if (this.members > this.dropAboveMembers) this.dropIdle(member);
    return [group, member];
  }

  /** Removes idle members. Runs again when their number has doubled, so that its cost per request stays small. */
  private dropIdle(keep: Member): void {
    const now = this.now();
    for (const [groupName, group] of this.groups) {
      for (const [name, member] of group.members) {
        if (member === keep || !member.usage.isIdle(now)) continue;
        group.members.delete(name);
        this.members -= 1;
      }
      if (group.members.size === 0) this.groups.delete(groupName);
    }
    this.dropAboveMembers = Math.max(minDropMembers, 2 * this.members);
  }

  private fits(group: Group, member: Member): boolean {
    return (
      group.usage.running < this.limits.connections - this.running && member.usage.running < this.limits.ofOneMember
    );
  }

  /** Returns a function that ends the work that begins now. */
  private begin(group: Group, member: Member): () => void {
    const begun = this.now();
    group.usage.begin(begun);
    member.usage.begin(begun);
    this.running += 1;
    return () => {
      const now = this.now();
      group.usage.end(now, begun);
      member.usage.end(now, begun);
      this.running -= 1;
      this.next(now);
    };
  }

  private wait(group: Group, member: Member): Promise<() => void> {
    const free = this.limits.waiting - this.waitingNow;
    if (group.usage.waiting >= free || member.usage.waiting >= this.limits.waitingOfOneMember) throw new DatabaseBusy();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(timer);
          this.leave(group, member, waiting);
          resolve(this.begin(group, member));
        },
      };
      const timer = setTimeout(() => {
        this.leave(group, member, waiting);
        reject(new DatabaseBusy());
      }, this.limits.waitMs);
      timer.unref();
      member.queue.push(waiting);
      for (const { usage } of [group, member]) usage.waiting += 1;
      this.waitingNow += 1;
    });
  }

  private leave(group: Group, member: Member, waiting: Waiting): void {
    member.queue.splice(member.queue.indexOf(waiting), 1);
    for (const { usage } of [group, member]) usage.waiting -= 1;
    this.waitingNow -= 1;
  }

  /**
   * A released connection may start several waiting requests, because each group is compared with the number of free
   * connections.
   */
  private next(now: number): void {
    for (let begun = true; begun; ) begun = this.beginOne(now);
  }

  private beginOne(now: number): boolean {
    if (this.waitingNow === 0) return false;
    const group = least(this.groups.values(), now, (each) => this.eligible(each, now) !== undefined);
    this.eligible(group, now)?.queue[0]?.begin();
    return group !== undefined;
  }

  /** Returns the waiting member of a group that may take a connection next. */
  private eligible(group: Group | undefined, now: number): Member | undefined {
    return group && least(group.members.values(), now, (member) => this.fits(group, member));
  }
}

/** Returns the waiting entry with the least recent database time, of those that qualify. */
function least<T extends { usage: Usage }>(
  all: Iterable<T>,
  now: number,
  qualifies: (each: T) => boolean,
): T | undefined {
  let found: T | undefined;
  for (const each of all) {
    if (each.usage.waiting === 0 || !qualifies(each)) continue;
    if (found === undefined || each.usage.recentMs(now) < found.usage.recentMs(now)) found = each;
  }
  return found;
}

function entry<T>(map: Map<string, T>, name: string, make: () => T): T {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  return made;
}
