import type { Tone } from '../../components/status';

export function toneOfRisk(score: number): Tone {
  return score >= 80 ? 'bad' : score >= 50 ? 'warn' : 'neutral';
}
