// A program: a list of people with their relations by Nest and TypeORM. Arguments: database url, port.
import 'reflect-metadata';
import { Controller, Dependencies, Get, Module, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DataSource, EntitySchema } from 'typeorm';

const [, , url, port] = process.argv;
const schema = 'peers';
const id = { type: 'uuid', primary: true };
const text = (name) => ({ type: 'text', name });
const person = { type: 'many-to-one', target: 'Person', joinColumn: { name: 'person_id' } };
const entities = [
  new EntitySchema({
    name: 'Person',
    tableName: 'people',
    schema,
    columns: {
      id,
      displayName: text('display_name'),
      status: text('status'),
      firstName: text('first_name'),
      lastName: text('last_name'),
      jobTitle: text('job_title'),
      department: text('department'),
      notes: text('notes'),
      createdAt: { type: 'timestamptz', name: 'created_at' },
      updatedAt: { type: 'timestamptz', name: 'updated_at' },
    },
    relations: {
      emails: { type: 'one-to-many', target: 'Email', inverseSide: 'person' },
      accounts: { type: 'one-to-many', target: 'Account', inverseSide: 'person' },
    },
  }),
  new EntitySchema({
    name: 'Email',
    tableName: 'emails',
    schema,
    columns: { id, value: text('value'), type: text('type') },
    relations: { person: { ...person, inverseSide: 'emails' } },
  }),
  new EntitySchema({
    name: 'Account',
    tableName: 'accounts',
    schema,
    columns: { id, source: text('source'), externalId: text('external_id'), status: text('status') },
    relations: { person: { ...person, inverseSide: 'accounts' } },
  }),
];
const dataSource = await new DataSource({ type: 'postgres', url, entities, poolSize: 10 }).initialize();

class PeopleController {
  constructor(source) {
    this.people = source.getRepository('Person');
  }

  async list(limit, offset = '0') {
    const [data, total] = await this.people.findAndCount({
      relations: { emails: true, accounts: true },
      order: { createdAt: 'ASC', id: 'ASC' },
      take: Number(limit),
      skip: Number(offset),
    });
    return { data, total, limit: Number(limit), offset: Number(offset) };
  }
}
Controller('people')(PeopleController);
Dependencies(DataSource)(PeopleController);
Get()(PeopleController.prototype, 'list', Object.getOwnPropertyDescriptor(PeopleController.prototype, 'list'));
Query('limit')(PeopleController.prototype, 'list', 0);
Query('offset')(PeopleController.prototype, 'list', 1);

class AppModule {}
Module({ controllers: [PeopleController], providers: [{ provide: DataSource, useValue: dataSource }] })(AppModule);

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: ['error'] });
await app.listen(Number(port), '127.0.0.1');
process.stdout.write('ready\n');
