import { randomBytes } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { createUser, isLicenseValid, listUsers, makeAdmin, setPassword } from '../shared/db/users.ts';
import { AdminError, type Command, email, getUser, name, password, read } from './command.ts';

const createUserCommand: Command = {
  options: ['email', 'password?', 'name?', 'admin!'],
  async run({ db }, options) {
    const address = read('email', email, options['email']);
    const plain = options['password'] === undefined ? null : read('password', password, options['password']);
    const user = await createUser(db, {
      email: address,
      name: read('name', name, options['name'] ?? address.split('@')[0]),
      role: options['admin'] === true ? 'admin' : 'user',
      passwordHash: plain === null ? null : await hashPassword(plain),
    });
    if (user === null) throw new AdminError(`${address} is taken: there is such a user already.`);
    return {
      json: { id: user.id, email: user.email, name: user.name, role: user.role },
      text: `Created ${user.role} ${user.email} (${user.id}).`,
    };
  },
};

const listUsersCommand: Command = {
  options: [],
  async run({ db }) {
    const users = (await listUsers(db)).map(({ user, license, activeKeys }) => ({
      id: user.id,
      email: user.email,
      name: user.name,
      role: user.role,
      plan: isLicenseValid(license ?? undefined) ? (license?.plan ?? null) : null,
      activeKeys,
      createdAt: user.created_at.toISOString(),
    }));
    return {
      json: { users },
      text: users
        .map(
          (user) =>
            `${user.id}  ${user.email}  ${user.role}  ${user.plan ?? 'no license'}  ${user.activeKeys} keys`,
        )
        .join('\n'),
    };
  },
};

const makeAdminCommand: Command = {
  options: ['email'],
  async run({ db }, options) {
    const user = await getUser(db, read('email', email, options['email']));
    await makeAdmin(db, user.id);
    return {
      json: { id: user.id, email: user.email, role: 'admin' },
      text: `${user.email} is an admin, from the next request on.`,
    };
  },
};

const setPasswordCommand: Command = {
  options: ['email', 'password?'],
  async run({ db }, options) {
    const user = await getUser(db, read('email', email, options['email']));
    const given = options['password'] === undefined ? null : read('password', password, options['password']);
    const plain = given ?? randomBytes(15).toString('base64url');
    await setPassword(db, user.id, await hashPassword(plain));
    const made = given === null ? { password: plain } : {};
    return {
      json: { id: user.id, email: user.email, ...made },
      text: `The password of ${user.email} is ${given === null ? plain : 'set'}. Sessions that were open are ended.`,
    };
  },
};

export const userCommands: Record<string, Command> = {
  'user create': createUserCommand,
  'user list': listUsersCommand,
  'user make-admin': makeAdminCommand,
  'user set-password': setPasswordCommand,
};
