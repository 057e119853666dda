/** Stands for each CSS module: components are found by role and name, not by class. */
module.exports = {};
