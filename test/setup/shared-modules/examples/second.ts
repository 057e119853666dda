import { leavesTraces } from './shared.js';

leavesTraces('second');
