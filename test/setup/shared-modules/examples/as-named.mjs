// Orders test files as the command line names them.
import TestSequencer from '@jest/test-sequencer';

const order = process.argv.map((arg) => arg.split('/').at(-1));

export default class AsNamed extends TestSequencer {
  sort(tests) {
    const place = ({ path }) => order.indexOf(path.split('/').at(-1));
    return [...tests].sort((one, other) => place(one) - place(other));
  }
}
