"""Transformations of data sets: discretisation, imputation, logarithms."""
