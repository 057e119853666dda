import { textOf } from '../../data/search-params';

export interface SystemSearch {
  /** Queue whose dead letters are listed. */
  queue?: string;
  /** Dead letter that is shown in full. */
  letter?: string;
}

export function systemSearchOf({ queue, letter }: Record<string, unknown>): SystemSearch {
  return { queue: textOf(queue), letter: textOf(letter) };
}
