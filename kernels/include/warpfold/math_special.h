// Error functions, gamma functions, their inverses, and norms, in double precision; and the functions of
// floats that are computed in double, because they are rare and their reductions long. Left out: Bessel
// functions.
#pragma once
#include "math_double.h"

// -- error functions ----------------------------------------------------------------------------------------
// (1 + 2x) e^(x²) erfc(x) is smooth in t = (x - 4) / (x + 4) (Shepherd and Laframboise 1981), fitted to x
// = 28.
__wf_large double __wf_erfc_scaled(double x)
{
    double t = (x - 4.0) / (x + 4.0);
    double p = __wf_polynomial(
        t, 1.2329951186255526, -0.13962111684056253, 0.015379652102619558, 0.06809705425469323,
        -0.10103906603629459, 0.09373283499833023, -0.0663303658124095, 0.03716751553777026,
        -0.01619773405599449, 0.005031969975753176, -0.0007577732973669146, -0.00019925668432389153,
        0.00015062169704678355, -2.439924428312988e-05, -1.1222046316669005e-05, 5.709784760966508e-06,
        2.93778549434438e-07, -8.254699744871204e-07, 7.471952780500765e-08, 1.1005996198640373e-07,
        -1.7999475459028648e-08, -1.4091982822556323e-08, 1.8684873854722675e-09, 1.2637828580417825e-09);
    return p / fma(2.0, x, 1.0);
}
// e^(-x²), with what the square loses.
__wf_fn double __wf_gauss(double x)
{
    __wf_pair square = __wf_product(x, x);
    double e = exp(-square.high);
    return e > 0.0 ? fma(-square.low, e, e) : e;
}
__wf_fn double __wf_erf_small(double x)
{
    double z = x * x;
    return x * __wf_polynomial(z, 1.1283791670955126, -0.37612638903183754, 0.1128379167095512,
                               -0.02686617064512984, 0.0052239776254232985, -0.000854832702193483,
                               0.00012055332902888736, -1.4925647567519332e-05, 1.6462045441468418e-06,
                               -1.6364642158167616e-07, 1.4792401209404813e-08, -1.216456005728345e-09,
                               8.709045129053106e-11, -4.230945824295338e-12);
}
__wf_large double erfc(double a)
{
    double size = fabs(a);
    if (size < 0.5) return 1.0 - __wf_erf_small(a);
    if (__wf_isnan(a)) return a;
    double tail = size > 27.3 ? 0.0 : __wf_gauss(size) * __wf_erfc_scaled(size);
    return a < 0.0 ? 2.0 - tail : tail;
}
__wf_large double erf(double a)
{
    double size = fabs(a);
    if (size < 1.0 || __wf_isnan(a)) return __wf_erf_small(a);
    return copysign(1.0 - erfc(size), a);
}
__wf_large double erfcx(double a)
{
    if (a < -26.7) return __WF_INFINITY;
    if (a < 0.0) {
        __wf_pair square = __wf_product(a, a);
        double e = exp(square.high);
        return __wf_isinf(e) ? e : 2.0 * fma(square.low, e, e) - __wf_erfc_scaled(-a);
    }
    if (a > 27.0) { // asymptotic: 1/(x sqrt pi) (1 - 1/2x² + …
        double z = a > 1e100 ? 0.0 : 1.0 / (a * a);
        return 0.5641895835477563 / a *
               __wf_polynomial(z, 1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875, -1055.7421875);
    }
    return __wf_erfc_scaled(a);
}
__wf_large double normcdf(double a)
{
    // The argument is rounded; the slope of the error function tells what that has cost.
    double t = a * -0.7071067811865476, low = fma(a, -0.7071067811865476, -t) + a * 4.833646656726457e-17;
    if (a < -38.6) return a == a ? 0.0 : a;
    double r = erfc(t);
    return 0.5 * (fabs(t) > 30.0 ? r : fma(-1.1283791670955126 * low, __wf_gauss(t), r));
}

// The y for which erf(y) = x, where rest = 1 - x: a closed form good to a few thousandths (Winitzki 2008),
// then Halley's steps, on erfc where x is near one.
__wf_large double __wf_erf_inverse(double x, double rest)
{
    double l = log(rest * (2.0 - rest)), u = fma(0.5, l, 4.330746750799873);
    double y = x < 0.1 ? x * 0.886226925452758 : sqrt(sqrt(fma(u, u, -l * 6.802721088435375)) - u);
    double step = 1.0;
    for (int i = 0; i < 8 && fabs(step) > 1e-9 * y; i++) {
        // Towards either side the missing part is judged by its share, since erfc falls off so fast.
        double slope = 1.1283791670955126 * __wf_gauss(y), scaled = __wf_erfc_scaled(y);
        if (x < 0.5)
            step = (erf(y) - x) / slope;
        else if (rest > 1e-200)
            step = log(rest / erfc(y)) * scaled * 0.886226925452758;
        else
            step = (log(rest) - log(scaled) + y * y) * scaled * 0.886226925452758;
        y -= step;
    }
    return y;
}
__wf_large double erfinv(double a)
{
    double size = fabs(a);
    if (!(size < 1.0)) return size == 1.0 ? copysign((double)__WF_INFINITY, a) : (double)__WF_NAN;
    return a == 0.0 ? a : copysign(__wf_erf_inverse(size, 1.0 - size), a);
}
__wf_large double erfcinv(double a)
{
    if (!(a > 0.0 && a < 2.0))
        return a == 0.0 ? (double)__WF_INFINITY : a == 2.0 ? -(double)__WF_INFINITY : (double)__WF_NAN;
    return a > 1.0 ? -__wf_erf_inverse(a - 1.0, 2.0 - a) : __wf_erf_inverse(1.0 - a, a);
}
__wf_fn double normcdfinv(double a) { return -1.4142135623730951 * erfcinv(2.0 * a); }

// -- gamma --------------------------------------------------------------------------------------------------
// Stirling's series of log gamma, beyond (x - 1/2) log x - x + log sqrt(2 pi).
__wf_fn double __wf_stirling(double x)
{
    double r = 1.0 / x;
    return r * __wf_polynomial(r * r, 0.08333333333333333, -0.002777777777777778, 0.0007936507936507937,
                               -0.0005952380952380953, 0.0008417508417508417, -0.0019175269175269176,
                               0.00641025641025641, -0.029550653594771242);
}
__wf_large double __wf_tgamma_positive(double a)
{
    if (a > 171.7) return __WF_INFINITY;
    if (a > 14.0) { // the power in two halves, which do not overflow
        double half = pow(a, fma(0.5, a, -0.25));
        return half * exp(-a) * half * (2.5066282746310002 * exp(__wf_stirling(a)));
    }
    double product = 1.0, quotient = 1.0;
    for (; a > 3.0; product *= a) a -= 1.0;
    for (; a < 2.0; a += 1.0) quotient *= a;
    double p = __wf_polynomial(
        a - 2.5, 1.329340388179137, 0.9347345216260855, 0.6545585779813368, 0.2538712468411429,
        0.10967323400215907, 0.02836078059484065, 0.010392403425963018, 0.001607400484857475,
        0.0007544741274008594, 3.941786106704003e-06, 6.132999547490073e-05, -1.2801662101069902e-05,
        7.253704976396383e-06, -2.560170651922655e-06, 1.083170535516263e-06, -4.257518642364393e-07,
        1.6813026075626095e-07, -6.715441924676824e-08, 3.363120541233027e-08, -1.3455594745344375e-08);
    return p * product / quotient;
}
__wf_large double tgamma(double a)
{
    if (a == 0.0) return 1.0 / a;
    if (a > 0.0 || __wf_isnan(a)) return __wf_tgamma_positive(a);
    if (a == trunc(a)) return __WF_NAN;
    if (a > -1e-16) return 1.0 / a;
    if (a < -185.0) return copysign(0.0, sinpi(a));
    // Reflection; where the gamma function of the mirrored number overflows its factors are divided by one by
    // one.
    double mirrored = -a, r = -3.141592653589793 / (sinpi(mirrored) * mirrored);
    for (; mirrored > 170.0; r /= mirrored) mirrored -= 1.0;
    return r / __wf_tgamma_positive(mirrored);
}
__wf_large double __wf_lgamma_positive(double a)
{
    if (a > 1e17) return a > 1e306 && __wf_isinf(a) ? a : a * (log(a) - 1.0);
    if (a >= 8.0) return fma(a - 0.5, log(a), -a) + (0.9189385332046728 + __wf_stirling(a));
    double product = 1.0, quotient = 1.0;
    for (; a > 2.3; product *= a) a -= 1.0;
    for (; a < 0.7; a += 1.0) quotient *= a;
    double p = __wf_polynomial(
        a - 1.5, 0.4831289505409809, -0.14595989591430608, 0.06291140107456505, -0.03130848750101107,
        0.01679709863117205, -0.009425622448460177, 0.0054464578453253636, -0.0032120740776980256,
        0.0019229161190874567, -0.001164414460314844, 0.0007115226080337419, -0.00043799534849687014,
        0.00027127332173506306, -0.00016889186888325927, 0.000105651702790696, -6.63317935123781e-05,
        4.1628933509044766e-05, -2.630346494414828e-05, 1.7292685117086977e-05, -1.0992997090393128e-05,
        5.1987870712323245e-06, -3.297535497861875e-06, 5.9049775998862836e-06, -3.8112919544206667e-06,
        -3.3594139893612255e-06, 2.1923049065729923e-06, 4.838835840731917e-06, -3.141876430319113e-06,
        -2.468200276945129e-06, 1.6046374795318155e-06, 8.999612849130206e-07, -5.84325373191293e-07);
    return fma((a - 1.0) * (a - 2.0), p, log(product / quotient));
}
__wf_large double lgamma(double a)
{
    if (__wf_isnan(a)) return a;
    if (__wf_isinf(a)) return __WF_INFINITY;
    if (a > 0.0) return a < 1e-17 ? -log(a) : __wf_lgamma_positive(a);
    if (a == trunc(a)) return __WF_INFINITY;
    if (a > -1e-17) return -log(-a);
    return log(3.141592653589793 / fabs(a * sinpi(a))) - __wf_lgamma_positive(-a);
}

// -- norms --------------------------------------------------------------------------------------------------
__wf_fn double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
__wf_fn double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
__wf_fn double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
__wf_fn double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
__wf_fn double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
__wf_fn float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
// Squares of floats neither overflow nor vanish as doubles.
__wf_fn float norm3df(float a, float b, float c)
{
    if (__wf_isinf(a) || __wf_isinf(b) || __wf_isinf(c)) return __WF_INFINITY;
    return (float)sqrt((double)a * a + (double)b * b + (double)c * c);
}
__wf_fn float norm4df(float a, float b, float c, float d)
{
    if (__wf_isinf(a) || __wf_isinf(b) || __wf_isinf(c) || __wf_isinf(d)) return __WF_INFINITY;
    return (float)sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d);
}
__wf_fn float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
__wf_fn float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }

// -- floats by way of doubles -------------------------------------------------------------------------------
#define __WF_BY_DOUBLE(NAME)                                                                                 \
    __wf_fn float NAME##f(float a) { return (float)NAME((double)a); }
__WF_BY_DOUBLE(asinh)
__WF_BY_DOUBLE(acosh)
__WF_BY_DOUBLE(atanh)
__WF_BY_DOUBLE(cbrt)
__WF_BY_DOUBLE(rcbrt)
__WF_BY_DOUBLE(erfc)
__WF_BY_DOUBLE(erfcx)
__WF_BY_DOUBLE(erfinv)
__WF_BY_DOUBLE(erfcinv)
__WF_BY_DOUBLE(normcdf)
__WF_BY_DOUBLE(normcdfinv)
__WF_BY_DOUBLE(tgamma)
__WF_BY_DOUBLE(lgamma)
#undef __WF_BY_DOUBLE
