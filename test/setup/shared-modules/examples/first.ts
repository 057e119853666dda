import { leavesTraces } from './shared.js';

leavesTraces('first');
