/** A decorator that does not compile on a parameter whose type cannot hold `Value`. */
export type ParameterOf<Value> = <Target extends object, Key extends keyof Target, Index extends number>(
  target: Target,
  key: Key & (string | symbol),
  index: Target[Key] extends (...parameters: infer Parameters) => unknown
    ? Value extends Parameters[Index & keyof Parameters]
      ? Index
      : never
    : never,
) => void;
